import { useEffect, useRef, useState } from 'preact/hooks';

/**
 * Calls `onFile` with a file that is dropped anywhere on the page. The browser would open it in place of the page. Returns
 * true while a file is dragged over the page.
 */
export function useDroppedFile(onFile: (file: File) => void): boolean {
  const [dragged, setDragged] = useState(false);
  const latest = useRef(onFile);
  latest.current = onFile;
  useEffect(() => {
    const hasFile = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true;
    const onDragOver = (event: DragEvent) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      setDragged(true);
    };
    const onDragLeave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setDragged(false);
    };
    const onDrop = (event: DragEvent) => {
      setDragged(false);
      if (!hasFile(event)) return;
      event.preventDefault();
      const file = event.dataTransfer!.files[0];
      if (file !== undefined) latest.current(file);
    };
    addEventListener('dragover', onDragOver);
    addEventListener('dragleave', onDragLeave);
    addEventListener('drop', onDrop);
    return () => {
      removeEventListener('dragover', onDragOver);
      removeEventListener('dragleave', onDragLeave);
      removeEventListener('drop', onDrop);
    };
  }, []);
  return dragged;
}
