import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { CopyText } from '../components/copy-text.tsx';
import { Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { settings } from '../texts/settings.ts';
import { McpConfiguration } from './mcp-configuration.tsx';

const { made: texts } = settings.keys;

/** Shows a new key and the configurations of MCP clients with it. The key is not cached, so it is shown only once. */
export function NewKeyDialog({ name, apiKey, onClose }: { name: string; apiKey: string; onClose: () => void }) {
  const [copied, setCopied] = useState(false);
  return (
    <Dialog title={texts.title(name)} onClose={onClose} leave={copied ? null : { ...texts.leave, run: onClose }}>
      <DialogBody>
        <p className="notice">{texts.text}</p>
        <CopyText
          text={apiKey}
          label={texts.copy}
          copied={texts.copied(name)}
          onCopied={() => setCopied(true)}
          autofocus
        />
        <p>{settings.mcp.withKey}</p>
        <McpConfiguration apiKey={apiKey} />
      </DialogBody>
      <DialogFooter>
        <Button variant="primary" onClick={onClose}>
          {texts.done}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
