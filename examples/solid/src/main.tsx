import { render } from "solid-js/web";
import { Chat } from "./chat.jsx";

render(() => <Chat />, document.querySelector("#root") as HTMLElement);
