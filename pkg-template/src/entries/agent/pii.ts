// "threadfold/agent/pii": personal data, removed from an agent's messages.
export type { PiiDetector, PiiMatch } from "../../agent/middleware/pii/detectors.js";
export { PIIDetectionError, piiMiddleware, type PiiOptions } from "../../agent/middleware/pii/pii.js";
