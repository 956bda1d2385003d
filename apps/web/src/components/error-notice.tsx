/** Says what went wrong. Screen readers read it at once. Shows nothing without a text. */
export function ErrorNotice({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <p key={text} className="notice notice-danger" role="alert">
      {text}
    </p>
  );
}
