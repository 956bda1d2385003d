interface WordsProps {
  text: string;
  /** A part of the text that a translator must leave as it is, such as a slug. */
  verbatim?: string | undefined;
}

/**
 * A text that may change. It is exchanged as an element: a browser that translates the page replaces its text nodes, so
 * that a text that is changed in place would keep its old words.
 */
export function Words({ text, verbatim = '' }: WordsProps) {
  const start = verbatim === '' ? -1 : text.indexOf(verbatim);
  return (
    <span key={text}>
      {start < 0 ? (
        text
      ) : (
        <>
          {text.slice(0, start)}
          <span translate={false}>{verbatim}</span>
          {text.slice(start + verbatim.length)}
        </>
      )}
    </span>
  );
}
