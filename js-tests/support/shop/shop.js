// Stands in for the wasm of docs/rust-page.md where nothing is compiled: the same fields, folded in JavaScript.
const put = (cart, items) => {
  const next = [...cart];
  for (const item of items) {
    const at = next.findIndex(({ sku }) => sku === item.sku);
    next[at < 0 ? next.length : at] = item;
  }
  return next.filter(({ qty }) => qty > 0);
};

export const Shop = {
  fields: () => [
    { name: "messages", kind: "messages", rules: "langgraph" },
    { name: "todos", kind: "todos" },
    { name: "cart", kind: "reducer" },
    { name: "spent", kind: "reducer" },
  ],
  initial: (at) => (at === 2 ? [] : 0),
  fold: (at, now, update) => (at === 2 ? put(now, update) : now + update),
};
