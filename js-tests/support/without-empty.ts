/**
 * A message without its empty fields. Over a quiet wire nobody sends a user's message back, so it stays as the page made
 * it: a server's copy has `additional_kwargs: {}` besides.
 */
export const withoutEmpty = (message: object): object =>
  Object.fromEntries(
    Object.entries(message).filter(
      ([, value]) =>
        value !== null && value !== undefined && (typeof value !== "object" || Object.keys(value).length > 0),
    ),
  );
