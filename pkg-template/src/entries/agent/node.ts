// "threadfold/agent/node": an agent's files in a folder of the disk.
export { folderBackend } from "../../agent/backends/folder.js";
