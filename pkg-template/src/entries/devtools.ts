// "threadfold/devtools": a panel that shows a page's threads, and recordings of them.
export { mountDevtools, type Devtools, type DevtoolsOptions } from "../devtools/devtools.js";
export { type AddOptions, type ShownRunner } from "../devtools/found.js";
export { type RecordedPart } from "../devtools/part.js";
export { importRecording, recordThread, type ThreadRecording } from "../devtools/recording.js";
