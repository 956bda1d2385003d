import type { ComponentChildren } from 'preact';
import { Words } from './words.tsx';
import './table.css';

interface TableProps {
  /** The name of the table for screen readers. */
  caption: string;
  /** The heads of the columns. Numbers are aligned right with `number`. Slugs and ids are not translated with `verbatim`. */
  columns: readonly { key: string; head: ComponentChildren; number?: boolean; verbatim?: boolean }[];
  rows: readonly { key: string; cells: readonly ComponentChildren[] }[];
}

/** A plain table of figures or words. It scrolls sideways if it is too wide. */
export function Table({ caption, columns, rows }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="table-frame" aria-label={caption} tabIndex={0}>
      <table className="table">
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ key, head, number }) => (
              <th key={key} scope="col" className={number ? 'table-number' : undefined}>
                {typeof head === 'string' ? <Words text={head} /> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              {row.cells.map((cell, index) => (
                <td
                  key={columns[index]!.key}
                  className={columns[index]!.number ? 'table-number' : undefined}
                  translate={!columns[index]!.verbatim}
                  dir="auto"
                >
                  {typeof cell === 'string' ? <Words text={cell} /> : cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
