import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { BRAND_NAME } from '../page-facts.ts';
import { shared } from '../texts/shared.ts';

interface PageHeaderProps {
  title: string;
  /** What the view is about, before its title in that of the document. */
  about?: string;
  /** True if the title is a name that a translator must leave as it is. */
  verbatim?: boolean;
  children?: ComponentChildren;
}

/** The heading of a view, with its actions on the right. Sets the title of the document. */
export function PageHeader({ title, about = '', verbatim = false, children }: PageHeaderProps) {
  useEffect(() => {
    document.title = shared.title(about === '' ? title : `${about} · ${title}`, BRAND_NAME);
  }, [title, about]);
  return (
    <header className="page-header">
      <h1 key={title} translate={!verbatim} dir="auto">
        {title}
      </h1>
      {children && <div className="page-actions">{children}</div>}
    </header>
  );
}
