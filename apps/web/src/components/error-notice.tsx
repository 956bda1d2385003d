/** Says what went wrong, where it is seen and read by screen readers at once. Shows nothing without a text. */
export function ErrorNotice({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <p key={text} ref={scrollIntoView} className="notice notice-danger" role="alert">
      {text}
    </p>
  );
}

function scrollIntoView(notice: HTMLElement | null): void {
  notice?.scrollIntoView({ block: 'nearest' });
}
