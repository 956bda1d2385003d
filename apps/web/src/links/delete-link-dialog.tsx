import type { Link } from '@waymark/contract';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { linkName } from '../short-url.ts';
import { links } from '../texts/links.ts';

interface DeleteLinkDialogProps {
  link: Link;
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

/** Asks before a link is deleted. */
export function DeleteLinkDialog({ link, onConfirm, onClose }: DeleteLinkDialogProps) {
  return (
    <ConfirmDialog
      title={links.deleteOne.title(linkName(link))}
      verbatim={linkName(link)}
      action={links.deleteOne.action}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>{links.deleteOne.text}</p>
    </ConfirmDialog>
  );
}
