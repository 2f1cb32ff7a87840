// "threadfold/tabs": the tabs of one browser share a connection.
export { sharedTabs, type SharedTabsOptions } from "../tabs/shared-tabs.js";
