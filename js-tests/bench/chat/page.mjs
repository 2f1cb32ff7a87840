// The program of a page that is measured: opens a chat in React, and says a token a frame to it.
import { createElement as h } from "react";
import { createRoot } from "react-dom/client";
// Each chat is a program of its own, as on a user's page: one of chats/.
import { open } from "the chat";

const host = document.querySelector("main");
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
const answer = (n) => host.getElementsByTagName("li")[n]?.lastChild?.textContent;

let chat;
let said = 0;

/** Opens it, scrolled to its end, where the answer will be. */
globalThis.openChat = async (n) => {
  chat = { n, ...(await open(n)) };
  createRoot(host).render(h(chat.List));
  while (host.getElementsByTagName("li").length < n) await frame();
  host.scrollTop = host.scrollHeight;
  await frame();
};

/** Says each token between two frames, as a server's come; then waits until the page shows them all. */
globalThis.sayTokens = async (count) => {
  for (let token = 0; token < count; token++) {
    await frame();
    await new Promise((resolve) => setTimeout(resolve));
    await chat.say();
  }
  said += count;
  const expected = " token".repeat(said);
  for (let frames = 0; answer(chat.n) !== expected; frames++) {
    if (frames === 300) throw new Error(`It shows "${answer(chat.n)}", not ${said} tokens.`);
    await frame();
  }
  await frame();
};
