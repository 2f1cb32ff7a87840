// The devtools of a page that imports them.
import { mountDevtools, type Devtools } from "./devtools.js";

/**
 * The panel of the page, which the import has mounted. Import it before the modules that make threads.
 *
 * @example
 * ```ts
 * import { devtools } from "threadfold/devtools/auto";
 *
 * console.log(devtools.isOpen); // false
 * devtools.dispose();
 * ```
 */
export const devtools: Devtools = mountDevtools();
