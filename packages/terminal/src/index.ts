export { throwErrors } from './commander-errors.ts';
export { importNotes, importSummary, interruptedImport, type Refusal, refusalText } from './import-report.ts';
export { print, printError } from './print.ts';
export { type Progress, showProgress } from './progress.ts';
export { writeWhole } from './whole-file.ts';
