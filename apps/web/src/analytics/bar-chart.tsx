import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Words } from '../components/words.tsx';
import { Link } from '../router.tsx';
import { formatCompact } from './format.ts';
import { labelledBars, ticksOf } from './scale.ts';

export interface ChartBar {
  /** Unique in its chart. */
  key: string;
  value: number;
  /** The value that is compared with this one. Null if there is none. */
  previous: number | null;
  /** The few characters below the bar. */
  shortLabel: string;
  label: string;
  /** True if more clicks can be added to it. */
  unfinished?: boolean;
  /** What the bar says, one line each. */
  lines: readonly string[];
  /** The view that the bar leads to. Null if it leads nowhere. */
  href: string | null;
}

/** At most as many labels as fit on a desktop. Every other one is hidden on a phone. */
const LABELS_MAX = 12;
/** The share of its slot that a bar fills. */
const FILLED = 0.7;
/** The share that the mark of the window before fills. */
const MARKED = 0.9;

/**
 * A bar chart in SVG. Its lengths are percentages, so that it needs no measuring and moves nothing when it is drawn. Each
 * bar is an element over the drawing that has the words: the chart is one stop of the Tab key, and arrow keys move in it.
 */
export function BarChart({ label, hint, bars }: { label: string; hint: string; bars: readonly ChartBar[] }) {
  const hintId = useId();
  const [current, setCurrent] = useState(bars.length - 1);
  const [shown, setShown] = useState<number | null>(null);
  const stop = Math.min(current, bars.length - 1);
  const ticks = ticksOf(Math.max(...bars.map(({ value, previous }) => Math.max(value, previous ?? 0))));
  const top = ticks.at(-1)!;
  const place = 100 / bars.length;
  const labelled = [...labelledBars(bars.length, LABELS_MAX)];

  function move(event: TargetedKeyboardEvent<HTMLElement>) {
    const last = bars.length - 1;
    const next = { ArrowLeft: stop - 1, ArrowRight: stop + 1, Home: 0, End: last }[event.key];
    if (event.key === 'Escape') setShown(null);
    if (next === undefined) return;
    event.preventDefault();
    const index = Math.min(Math.max(next, 0), last);
    setCurrent(index);
    event.currentTarget.querySelectorAll<HTMLElement>('.chart-hit')[index]?.focus();
  }

  return (
    <div className="chart">
      <div className="chart-axis" aria-hidden>
        {ticks.toReversed().map((tick) => (
          <span key={tick}>{formatCompact(tick)}</span>
        ))}
      </div>
      <svg className="chart-plot" aria-hidden focusable="false">
        {ticks.map((tick) => (
          <line key={tick} className="chart-line" x1="0" x2="100%" {...lineAt(tick / top)} />
        ))}
        {bars.map(({ key, value, previous, unfinished }, index) => (
          <g
            key={key}
            className={`chart-bar${index === shown ? ' is-shown' : ''}${unfinished ? ' is-unfinished' : ''}`}
          >
            <rect
              className="chart-now"
              x={percent((index + (1 - FILLED) / 2) * place)}
              width={percent(FILLED * place)}
              y={percent(100 - (100 * value) / top)}
              height={percent((100 * value) / top)}
            />
            {previous !== null &&
              previous > 0 &&
              ['chart-before-edge', 'chart-before'].map((className) => (
                <line
                  key={className}
                  className={className}
                  x1={percent((index + (1 - MARKED) / 2) * place)}
                  x2={percent((index + (1 + MARKED) / 2) * place)}
                  {...lineAt(previous / top)}
                />
              ))}
          </g>
        ))}
      </svg>
      <p id={hintId} className="visually-hidden">
        <Words text={hint} />
      </p>
      <ol className="chart-hits" aria-label={label} aria-describedby={hintId} onKeyDown={move}>
        {bars.map((bar, index) => (
          <li key={bar.key} onPointerEnter={() => setShown(index)} onPointerLeave={() => setShown(null)}>
            <Hit
              bar={bar}
              tabIndex={index === stop ? 0 : -1}
              onFocus={() => {
                setCurrent(index);
                setShown(index);
              }}
              onBlur={() => setShown(null)}
            />
            {labelled.includes(index) && (
              <span className={labelled.indexOf(index) % 2 === 0 ? 'chart-label' : 'chart-label is-minor'} aria-hidden>
                {bar.shortLabel}
              </span>
            )}
            {index === shown && (
              <Tip side={index < bars.length / 2 ? 'start' : 'end'}>
                <strong>{bar.label}</strong>
                {bar.lines.map((line) => (
                  <span key={line}>{line}</span>
                ))}
              </Tip>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

interface HitProps {
  bar: ChartBar;
  tabIndex: number;
  onFocus: () => void;
  onBlur: () => void;
}

function Hit({ bar, ...props }: HitProps) {
  const words = `${bar.label}: ${bar.lines.join(', ')}`;
  if (bar.href !== null) return <Link className="chart-hit" href={bar.href} aria-label={words} {...props} />;
  return <span className="chart-hit" role="img" aria-label={words} {...props} />;
}

function Tip({ side, children }: { side: 'start' | 'end'; children: ComponentChildren }) {
  return (
    <div className={`chart-tip is-${side}`} aria-hidden>
      {children}
    </div>
  );
}

function lineAt(height: number): { y1: string; y2: string } {
  const y = percent(100 - 100 * height);
  return { y1: y, y2: y };
}

function percent(value: number): string {
  return `${Number(value.toFixed(3))}%`;
}
