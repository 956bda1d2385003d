interface WordsProps {
  text: string;
  /** A part of the text that a translator must leave as it is, such as a slug or a URL, which breaks after slashes. */
  verbatim?: string | undefined;
}

/**
 * A text that may change. A change replaces the element: a browser that translates the page has replaced the text node,
 * so a change of the old node would not be shown.
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
          <span translate={false} dir="auto">
            {verbatim
              .split(/(?<=\/)(?!\/)/)
              .flatMap((part, index) => (index === 0 ? part : [<wbr key={index} />, part]))}
          </span>
          {text.slice(start + verbatim.length)}
        </>
      )}
    </span>
  );
}
