import { startMongoServer } from './server.ts';

const { DATA_DIR, HOST, PORT = '0' } = process.env;

if (!DATA_DIR) {
  console.error('DATA_DIR is needed: the folder of the data');
  process.exit(2);
}
if (!/^\d{1,5}$/.test(PORT)) {
  console.error('PORT has to be a port number');
  process.exit(2);
}

const server = await startMongoServer({ dataDir: DATA_DIR, port: Number(PORT), host: HOST });
console.log(server.url);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
