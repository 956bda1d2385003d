// Prints the keys of the demo account and a sign-in link as JSON, for the stack in DEMO_STACK. Creates the account if it
// does not exist.
import { grpcClientTls, loadConfig } from '@waymark/service-kit';
import { createDemoSignInLink, type DemoAccess, type DemoStack, ensureDemoAccount } from './demo-account.ts';
import { startSchema } from './start-config.ts';

const config = loadConfig(startSchema);
const stack = JSON.parse(process.env.DEMO_STACK!) as DemoStack;
const tls = grpcClientTls(config);
const keys = await ensureDemoAccount(stack, config.DATA_DIR, tls);
const signInUrl = await createDemoSignInLink(stack, tls);
process.stdout.write(JSON.stringify({ ...keys, signInUrl } satisfies DemoAccess));
