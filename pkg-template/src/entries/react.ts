"use client";
// "threadfold/react": a thread, or a part of it, in a component. React 18 or later.
export * from "../react.js";
