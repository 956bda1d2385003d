import type { Database } from '../database/database.ts';
import type { SessionDocument, SignInLinkDocument } from '../database/documents/session.ts';
import { BOUNDED } from '../database/operation-options.ts';

/** Reads sessions and moves their ends, and reads and writes sign-in links. Every method throws `unavailable` in an outage. */
export class SessionsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds a sign-in link. */
  async insertSignInLink(link: SignInLinkDocument): Promise<void> {
    await this.#database.run(() => this.#database.collections.signInLinks.insertOne(link, BOUNDED));
  }

  /** Removes a sign-in link and returns it, or null if there is none. Only one of several concurrent calls gets it. */
  async takeSignInLink(_id: string, now: Date): Promise<SignInLinkDocument | null> {
    return this.#database.run(() =>
      this.#database.collections.signInLinks.findOneAndDelete({ _id, expires_at: { $gt: now } }, BOUNDED),
    );
  }

  /** Returns the session with this id if it has not expired. */
  async find(_id: string, now: Date): Promise<SessionDocument | null> {
    return this.#database.run(() =>
      this.#database.collections.sessions.findOne({ _id, expires_at: { $gt: now } }, BOUNDED),
    );
  }

  /** Moves the end of a session, unless it was ended. It never moves back. */
  async setEnd(_id: string, expires_at: Date): Promise<void> {
    await this.#database.run(() =>
      this.#database.collections.sessions.updateOne(
        { _id, expires_at: { $lt: expires_at } },
        { $set: { expires_at } },
        BOUNDED,
      ),
    );
  }

  /** Removes the sessions and sign-in links of an account. */
  async deleteAllOf(account_id: string): Promise<void> {
    const { sessions, signInLinks } = this.#database.collections;
    await this.#database.run(() => sessions.deleteMany({ account_id }, BOUNDED));
    await this.#database.run(() => signInLinks.deleteMany({ account_id }, BOUNDED));
  }
}
