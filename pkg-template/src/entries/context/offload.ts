// "threadfold/context/offload": what is too long for a context, as files.
export { offload, offloading, type OffloadOptions } from "../../context/offload.js";
