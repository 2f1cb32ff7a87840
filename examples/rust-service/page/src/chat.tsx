import { type ComponentProps } from "react";
import { type AgUiMessage, defineSchema, field, textOf } from "threadfold";
import { openAgUi } from "threadfold/ag-ui";
import { type ApprovalRequest } from "threadfold/agent";
import { useChat, useMessage, useThread } from "threadfold/react";
import { Shop } from "./pkg/shop.js"; // the service's struct

const { cart } = defineSchema.from(Shop).fields;
const schema = defineSchema({ cart, messages: field.messages<AgUiMessage>() }); // AG-UI has messages in its own form
const agent = openAgUi({ url: "/agent", resumable: true, schema });

export function Chat() {
  const { messageIds, status, error, interrupts, sendMessage, resume, retry, stop } = useChat(agent);
  const cart = useThread(agent, (shop) => shop.cart);
  // Shown at once by the service's own reducer, and sent with the next message.
  const more = (sku: string, qty: number) => agent.thread.optimistic({ cart: [{ sku, qty: qty + 1 }] });
  const answer = (approved: boolean) =>
    resume(
      interrupts.map(({ id, value }) => {
        const type = approved ? ("approve" as const) : ("reject" as const);
        return { id, value: { decisions: (value as ApprovalRequest).action_requests.map(() => ({ type })) } };
      }),
    );
  return (
    <form action={(form) => void sendMessage(String(form.get("text")))}>
      <ol>
        {messageIds.map((id) => (
          <Message key={id} id={id} />
        ))}
      </ol>
      <ul>
        {cart.map(({ sku, qty }) => (
          <li key={sku}>
            {qty} {sku} <Button onClick={() => more(sku, qty)}>One more</Button>
          </li>
        ))}
      </ul>
      {error && <Button onClick={() => retry()}>Try again: {error.message}</Button>}
      {interrupts.map(({ message }) => message)}
      {interrupts.length > 0 && <Button onClick={() => answer(true)}>Yes</Button>}
      {interrupts.length > 0 && <Button onClick={() => answer(false)}>No</Button>}
      <input name="text" aria-label="Message" placeholder="2 tea, or: order" required />
      <button>Send</button>
      {status === "streaming" && <Button onClick={() => stop()}>Stop</Button>}
    </form>
  );
}

function Message({ id }: { id: string }) {
  const message = useMessage(agent, id); // a token renders the one message that grew
  return message ? (
    <li>
      <b>{message.role}</b> {textOf(message)}
    </li>
  ) : null;
}

const Button = (props: ComponentProps<"button">) => <button type="button" {...props} />;
