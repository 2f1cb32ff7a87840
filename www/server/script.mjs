// The agent's texts: made up, with no model anywhere.

export const LONG = [
  "threadfold keeps two things apart.",
  "The server's messages are confirmed; the changes that you have just made are pending.",
  "You see the second laid over the first one.",
  "So your message is there before the server has even received it,",
  "and it stays where it is while the echo, the answer and the snapshot arrive.",
].join(" ");

export const SHORT = `You wrote “{question}”. That message was on your page before I had it; now it is confirmed. 你好 👋🏽`;

export const CITIES = { Berlin: "12 °C, rain", Lagos: "31 °C, sun", Lima: "19 °C, fog", Osaka: "24 °C, clouds" };

export const TODOS = ["Read the question", "Answer it", "Keep the answer"];

export const mailOf = (to) => ({ to, subject: "I am late", text: "Start without me: I am there at ten." });

export const DONE = {
  sent: "The mail is sent.",
  refused: "The user said no: nothing was sent.",
  told: "Done: Ada has your mail, and starts without you.",
  kept: "Fine: I have not sent it. The draft is above.",
};
