// "threadfold/predict": the state as a tool call's arguments will make it, shown while they stream.
export { predictState, type PredictOptions, type Prediction } from "../predict/predict-state.js";
export { deepAgentRules, type PredictRule, type PredictRules } from "../predict/rules.js";
