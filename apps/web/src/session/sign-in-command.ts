import { useEffect, useState } from 'preact/hooks';

/**
 * Returns the command line that makes a sign-in link for an account of this installation, or null if its operator has
 * named none.
 */
export function useSignInCommand(username: string): string | null {
  const [command, setCommand] = useState<string | null>(null);
  useEffect(() => {
    fetch('/app/sign-in.json')
      .then(async (response) => setCommand(response.ok ? (await response.json()).command : null))
      // The page says what to do without it, too.
      .catch(() => setCommand(null));
  }, []);
  return command && `${command} ${username}`;
}
