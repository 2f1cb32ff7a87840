// "threadfold/devtools/auto": shows the devtools by being imported.
export { devtools } from "../../devtools/auto.js";
