/** The record of a migration that succeeded. */
export interface MigrationDocument {
  _id: number;
  name: string;
  done_at: Date;
}
