import type { Observable } from "rxjs";

/** The class that an agent's copy of RxJS calls Observable, found from one of them: RxJS is nobody's to install. */
export function observableClass(one: Observable<unknown>): typeof Observable {
  let found = one.constructor as typeof Observable;
  for (let above = Object.getPrototypeOf(found); above !== Function.prototype; above = Object.getPrototypeOf(found)) {
    found = above as typeof Observable;
  }
  return found;
}
