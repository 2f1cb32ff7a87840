/** Whether a text has the form of the ids that LangGraph gives interrupts: a map of such ids is a map of answers. */
export const isInterruptId = (id: string): boolean => /^[0-9a-f]{32}$/.test(id);
