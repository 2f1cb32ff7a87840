import type { Observable } from "rxjs";

/**
 * Returns the class that an agent's copy of RxJS calls Observable, found from one of them, so that you need not install
 * RxJS.
 */
export function observableClass(one: Observable<unknown>): typeof Observable {
  let found = one.constructor as typeof Observable;
  for (let above = Object.getPrototypeOf(found); above !== Function.prototype; above = Object.getPrototypeOf(found)) {
    found = above as typeof Observable;
  }
  return found;
}
