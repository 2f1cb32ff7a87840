// What the agent says: made up, with no model anywhere.

export const LONG = [
  "threadfold keeps two things apart.",
  "What the server has said is confirmed; what you have just done is pending.",
  "What you see is the one over the other.",
  "So your message is there before the server has heard of it,",
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
