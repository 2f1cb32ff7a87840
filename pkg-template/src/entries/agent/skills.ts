// "threadfold/agent/skills": instructions in files, which an agent reads when it needs them. Needs the package `yaml`.
export type { Skill } from "../../agent/middleware/skill-file.js";
export { createSkillsMiddleware, type SkillsOptions } from "../../agent/middleware/skills.js";
