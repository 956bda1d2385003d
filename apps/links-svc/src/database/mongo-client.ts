import { isTracing } from '@waymark/proto';
import type { Format } from '@waymark/service-kit';
import { MongoClient, type MongoClientOptions, ReadPreference } from 'mongodb';

const SERVER_SELECTION_TIMEOUT_MS = 3_000;
export const CONNECT_TIMEOUT_MS = 2_000;
/** Longer than any operation: this only closes connections on which nothing arrives any more. */
const SILENT_MAX_MS = 8_000;

/** Creates a client of the driver. It does not connect yet. Throws if the driver does not accept the URL. */
export function createMongoClient(
  url: string,
  pool: Pick<MongoClientOptions, 'maxPoolSize' | 'minPoolSize'> = {},
): MongoClient {
  return new MongoClient(url, {
    ...pool,
    appName: 'waymark-links-svc',
    serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    waitQueueTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
    socketTimeoutMS: SILENT_MAX_MS,
    writeConcern: { w: 'majority' },
    // Transactions need these, whatever the URL says. The driver takes each option of the URL that is not here.
    readPreference: ReadPreference.primary,
    readPreferenceTags: [],
    readConcernLevel: 'local',
    // Stored text was validated when it was written, so the driver need not validate it at each read.
    enableUtf8Validation: false,
    ...(isTracing() && { monitorCommands: true }),
  });
}

/** What the driver accepts as MONGODB_URL. Its own errors can contain a part of the password. */
export const mongodbUrl: Format = {
  words:
    'a URL that begins with mongodb:// or mongodb+srv://, with options that the driver knows, and with user and password percent-encoded',
  test(url) {
    try {
      createMongoClient(url);
      return true;
    } catch {
      return false;
    }
  },
};
