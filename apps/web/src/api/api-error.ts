import { WaymarkError } from '@waymark/client';
import { fieldLabels } from '../texts/links.ts';

/** Ignores the refusal of a request to delete what is gone already. Throws every other error. */
export function unlessGone(error: unknown): void {
  if (!(error instanceof WaymarkError && error.status === 404)) throw error;
}

/** Returns the text to show for anything that was thrown. */
export function messageOf(error: unknown): string {
  return inLabels(error instanceof Error ? error.message : String(error));
}

/** Returns a message of the API with the labels of the forms for its names of fields: `“Title” must be …`. */
export function inLabels(message: string): string {
  // Replaces only names of fields, not the same word in a value that the user entered.
  return message.replace(/(^|\b(?:for|with) )"(?:[a-z_]+\.)*([a-z_]+)(?:\[\d+\])?"/g, (whole, before, name: string) =>
    Object.hasOwn(fieldLabels, name) ? `${before}“${fieldLabels[name]}”` : whole,
  );
}
