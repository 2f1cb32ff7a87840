// A bar for a token's cost: the usual list compared with `useMessage`, measured in this page while it runs.
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Chat } from "../chat/connection";
import { createSubject, MESSAGES, type Subject } from "./measure-token";

/** A sample is the mean of so many tokens: a browser's clock is coarse. */
const TOKENS = { whole: 2, byMessage: 8 };
const WARM_UP = 3;
const FIRST = 15;
const KEPT = 41;
/** At most a twentieth of the main thread, more while there is no figure yet, and never more often than so. */
const SHARE = 20;
const FIRST_SHARE = 4;
const PERIOD = 150;
/** The page's address may turn the measurement off: `?cost=off`. */
const isOff = () => new URLSearchParams(location.search).get("cost") === "off";

type Kind = keyof typeof TOKENS;
type Medians = Record<Kind, number>;

const count = new Intl.NumberFormat("en");
const milliseconds = (ms: number) => `${ms >= 10 ? ms.toFixed(0) : ms >= 1 ? ms.toFixed(1) : ms.toFixed(2)} ms`;

export function TokenCost({ agent }: { agent: Chat["agent"] }) {
  const status = useSyncExternalStore(agent.subscribe, agent.getStatus);
  const goesOn = useRef(false);
  goesOn.current = status === "streaming";
  const [medians, setMedians] = useState<Medians>();
  const [samples, setSamples] = useState(0);

  useEffect(() => {
    if (isOff()) return undefined;
    return measure({
      wants: (taken) => taken < FIRST || goesOn.current,
      show(medians, taken) {
        setMedians(medians);
        setSamples(taken);
      },
    });
  }, []);

  const { whole = 0, byMessage = 0 } = medians ?? {};
  return (
    <section className="card token-cost" aria-labelledby="token-cost-title">
      <div className="card-head">
        <h2 id="token-cost-title">What 1 token costs this page</h2>
        <p>at {count.format(MESSAGES)} messages</p>
      </div>
      <Bar name="re-rendering the list" ms={whole} most={whole} kind="theirs" isKnown={medians !== undefined} />
      <Bar name="with useMessage" ms={byMessage} most={whole} kind="ours" isKnown={medians !== undefined} />
      <p className="small" id="token-cost-note" data-samples={samples}>
        {medians ? <b>{Math.max(1, Math.round(whole / byMessage))}× less. </b> : <b>Measuring… </b>}
        Main-thread time on your machine, medians, now: React, style and layout of two lists that this page keeps out of
        sight.
      </p>
    </section>
  );
}

interface BarProps {
  name: string;
  ms: number;
  most: number;
  kind: "ours" | "theirs";
  isKnown: boolean;
}

function Bar({ name, ms, most, kind, isKnown }: BarProps) {
  return (
    <div className="bar-row">
      <span className="bar-name">{name}</span>
      <span className="bar-track">
        <span className={`bar ${kind}`} style={{ width: isKnown ? `${Math.max(0.6, (100 * ms) / most)}%` : 0 }} />
      </span>
      <span className={`bar-figure ${kind}`}>{isKnown ? milliseconds(ms) : "…"}</span>
    </div>
  );
}

interface Measuring {
  wants(taken: number): boolean;
  show(medians: Medians, taken: number): void;
}

/** Measures as long as it is wanted and the page is seen. Returns a function that ends it. */
function measure({ wants, show }: Measuring): () => void {
  const subjects: Partial<Record<Kind, Subject>> = {};
  const samples: Record<Kind, number[]> = { whole: [], byMessage: [] };
  let isOver = false;
  let taken = -WARM_UP;
  let timer = setTimeout(() => void begin(), 600);

  async function begin(): Promise<void> {
    for (const kind of ["byMessage", "whole"] as const) {
      const subject = await createSubject(kind);
      if (isOver) return subject.close();
      subjects[kind] = subject;
    }
    sample();
  }

  function sample(): void {
    let spent = 0;
    if (document.visibilityState === "visible" && wants(taken)) {
      for (const kind of ["byMessage", "whole"] as const) {
        const tokens = Array.from({ length: TOKENS[kind] }, () => subjects[kind]?.token() ?? 0);
        const total = tokens.reduce((sum, ms) => sum + ms, 0);
        spent += total;
        if (taken >= 0) samples[kind] = [...samples[kind], total / tokens.length].slice(-KEPT);
      }
      taken++;
      if (taken > 0) show({ whole: median(samples.whole), byMessage: median(samples.byMessage) }, taken);
    }
    timer = setTimeout(sample, Math.max(PERIOD, (taken < WARM_UP ? FIRST_SHARE : SHARE) * spent));
  }

  return () => {
    isOver = true;
    clearTimeout(timer);
    for (const subject of Object.values(subjects)) subject.close();
  };
}

const median = (list: readonly number[]) => [...list].sort((a, b) => a - b)[list.length >> 1] ?? 0;
