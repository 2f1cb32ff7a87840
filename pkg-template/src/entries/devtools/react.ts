"use client";
// "threadfold/devtools/react": the devtools as a component. React 18 or later.
export { ThreadDevtools, type ThreadDevtoolsProps } from "../../devtools/thread-devtools.js";
