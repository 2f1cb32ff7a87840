// A slider over the agent's checkpoints.
import type { Checkpoint } from "./checkpoints";

interface Props {
  readonly checkpoints: readonly Checkpoint[];
  /** Which one is shown; undefined for the latest. */
  readonly at: number | undefined;
  readonly isIdle: boolean;
  show(at: number | undefined): void;
  goBack(to: Checkpoint): void;
}

export function TimeTravel({ checkpoints, at, isIdle, show, goBack }: Props) {
  const last = checkpoints.length - 1;
  const place = at ?? Math.max(0, last);
  const shown = checkpoints[place];
  return (
    <div className="time-travel">
      <label className="unseen" htmlFor="checkpoint">
        Checkpoint
      </label>
      <div className="scrub">
        <input
          id="checkpoint"
          type="range"
          min={0}
          max={Math.max(0, last)}
          value={place}
          disabled={last < 1}
          aria-valuetext={shown && wordsOf(shown)}
          onChange={({ target }) => show(Number(target.value) === last ? undefined : Number(target.value))}
        />
        <span className="place">{last < 0 ? "0 / 0" : `${place + 1} / ${last + 1}`}</span>
      </div>
      <div className="then">
        <p className="small" role="status">
          {shown ? wordsOf(shown) : "Each step of a run leaves a checkpoint here."}
        </p>
        {shown && at !== undefined && (
          <>
            <button type="button" className="quiet" onClick={() => show(undefined)}>
              Back to now
            </button>
            <button type="button" className="primary" disabled={!isIdle} onClick={() => goBack(shown)}>
              Go on from here
            </button>
          </>
        )}
      </div>
    </div>
  );
}

const wordsOf = ({ step, next, messages }: Checkpoint): string =>
  `Step ${step}: ${messages.length} ${messages.length === 1 ? "message" : "messages"}, ${next.length > 0 ? `then ${next.join(", ")}` : "the end of a run"}.`;
