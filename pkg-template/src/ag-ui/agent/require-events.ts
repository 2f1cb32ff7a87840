import type { Observable } from "rxjs";
import { ThreadfoldError } from "../../shared/errors.js";
import { observableClass } from "./observable-class.js";

/**
 * Passes the events of a response on, or the error `BAD_RESPONSE` if it ends without any: it is another kind of answer.
 */
export function requireEvents<T>(events: Observable<T>): Observable<T> {
  const Plain = observableClass(events);
  return new Plain<T>((subscriber) => {
    let has = false;
    return events.subscribe({
      next(event) {
        has = true;
        subscriber.next(event);
      },
      error: (error) => subscriber.error(error),
      complete() {
        if (has) subscriber.complete();
        else
          subscriber.error(
            new ThreadfoldError("BAD_RESPONSE", "The server's answer has no AG-UI event: is this the agent's address?"),
          );
      },
    });
  });
}
