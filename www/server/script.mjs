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

export const TRIP = {
  begin: "Two helpers look around at the same time.",
  look: "Let me see, and write it down.",
  helpers: [
    {
      name: "sights",
      task: "Find two sights in Rome, and write them down.",
      notes: { file_path: "/sights.md", content: "- The Pantheon, before nine\n- The Aventine keyhole, at dusk" },
      report: "The Pantheon before nine, when it is empty. The Aventine keyhole at dusk.",
    },
    {
      name: "food",
      task: "Find two places to eat in Rome, and write them down.",
      notes: { file_path: "/food.md", content: "- Testaccio market, at noon\n- Trastevere, after eight" },
      report: "Testaccio market at noon: the queue is worth it. Trastevere after eight.",
    },
  ],
  plan: {
    file_path: "/rome.md",
    content: "Nine: the Pantheon. Noon: Testaccio. Dusk: the Aventine. Eight: Trastevere.",
  },
  end: "Your day in Rome: the Pantheon at nine, Testaccio at noon, the Aventine at dusk, Trastevere at eight. It is in /rome.md.",
};
