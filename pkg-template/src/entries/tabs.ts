// "threadfold/tabs": the tabs of one browser share a connection, and do not overwrite what they save.
export { sharedTabs, type SharedTabsOptions } from "../tabs/shared-tabs.js";
export { tabStorage } from "../tabs/tab-storage.js";
