/** A list that grows by one item at the same cost, however long it is. */
export type Chain<T> = { readonly last: T; readonly rest: Chain<T> } | undefined;

export const chained = <T>(rest: Chain<T>, last: T): Chain<T> => ({ last, rest });

export function listOf<T>(chain: Chain<T>): T[] {
  const list: T[] = [];
  for (let at = chain; at; at = at.rest) list.push(at.last);
  list.reverse();
  return list;
}

export const without = <T>(chain: Chain<T>, drop: (item: T) => boolean): Chain<T> =>
  listOf(chain)
    .filter((item) => !drop(item))
    .reduce<Chain<T>>(chained, undefined);
