// The parts of a run, as its tasks and the graphs inside them see it.
import type { TaskHome } from "../task/task-place.js";
import type { ResumeValues } from "./resume-values.js";
import type { Reports } from "./reports.js";
import type { RunSaves } from "./run-saves.js";
import type { RunScope } from "./run-scope.js";
import type { Stops } from "./stops.js";
import type { Travel } from "./travel.js";

export interface RunParts extends TaskHome {
  readonly scope: RunScope;
  readonly reports: Reports;
  readonly saves: RunSaves;
  readonly travel: Travel;
  readonly resumeValues: ResumeValues;
  readonly stops: Stops;
  /** Ends the super-step that a crash left, if only its checkpoint is missing. */
  endLeft(): void;
}
