import { type Document, MongoBulkWriteError, MongoServerError } from 'mongodb';

/**
 * A collection in memory, with the statements that slugs need, for many runs of a model. The same model also runs on a
 * real database.
 */
export class FakeCollection {
  readonly #unique: readonly string[][];
  #documents: Document[] = [];

  /** `unique` are the fields of each unique index, besides `_id`. */
  constructor(...unique: string[][]) {
    this.#unique = [['_id'], ...unique];
  }

  async insertOne(document: Document): Promise<void> {
    this.#checkUnique(document);
    this.#documents.push({ ...document });
  }

  async insertMany(documents: readonly Document[]): Promise<void> {
    const writeErrors: { index: number; code: number }[] = [];
    for (const [index, document] of documents.entries()) {
      try {
        await this.insertOne(document);
      } catch {
        writeErrors.push({ index, code: 11000 });
      }
    }
    if (writeErrors.length === 0) return;
    const result = { getWriteConcernError: () => undefined };
    throw new MongoBulkWriteError({ message: 'duplicate', code: 11000, writeErrors } as never, result as never);
  }

  find(filter: Document, { limit = Number.POSITIVE_INFINITY }: { limit?: number } = {}) {
    let found = this.#matches(filter).slice(0, limit);
    const cursor = {
      sort: () => {
        found = [...found].sort((a, b) => (a._id < b._id ? -1 : 1));
        return cursor;
      },
      limit: (count: number) => {
        found = found.slice(0, count);
        return cursor;
      },
      toArray: async () => found.map((document) => ({ ...document })),
    };
    return cursor;
  }

  async findOne(filter: Document): Promise<Document | null> {
    const [first] = this.#matches(filter);
    return first === undefined ? null : { ...first };
  }

  async updateOne(filter: Document, update: Document): Promise<{ matchedCount: number }> {
    const [first] = this.#matches(filter);
    if (first === undefined) return { matchedCount: 0 };
    const changed = { ...first, ...update.$set };
    for (const [name, by] of Object.entries(update.$inc ?? {})) changed[name] += by;
    this.#checkUnique(changed, first);
    Object.assign(first, changed);
    return { matchedCount: 1 };
  }

  async deleteOne(filter: Document): Promise<void> {
    const [first] = this.#matches(filter);
    this.#documents = this.#documents.filter((document) => document !== first);
  }

  async deleteMany(filter: Document): Promise<void> {
    const gone = new Set(this.#matches(filter));
    this.#documents = this.#documents.filter((document) => !gone.has(document));
  }

  async findOneAndDelete(filter: Document): Promise<Document | null> {
    const found = await this.findOne(filter);
    if (found !== null) await this.deleteOne({ _id: found._id });
    return found;
  }

  #matches(filter: Document): Document[] {
    return this.#documents.filter((document) =>
      Object.entries(filter).every(([name, condition]) => meets(document[name], condition)),
    );
  }

  #checkUnique(document: Document, replaced?: Document): void {
    for (const names of this.#unique)
      if (this.#documents.some((one) => one !== replaced && names.every((name) => one[name] === document[name])))
        throw new MongoServerError({ code: 11000, message: `duplicate ${names}` });
  }
}

function meets(value: unknown, condition: unknown): boolean {
  if (condition instanceof Date) return value instanceof Date && value.getTime() === condition.getTime();
  if (typeof condition !== 'object' || condition === null) return value === condition;
  return Object.entries(condition).every(([operator, operand]) => {
    if (operator === '$in') return (operand as unknown[]).some((one) => meets(value, one));
    if (operator === '$gt') return (value as string) > operand;
    if (operator === '$lt') return (value as string) < operand;
    if (operator === '$exists') return (value !== undefined) === operand;
    throw new Error(`unknown operator ${operator}`);
  });
}
