export const without = new Set(process.env.THREADFOLD_WITHOUT?.split(",") ?? []);
export const uses = (trick) => !without.has(trick);
