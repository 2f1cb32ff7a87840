import { Thread, addMessages } from "threadfold";
import { HumanMessage, AIMessage, ToolMessage, ChatMessage } from "@langchain/core/messages";
const t=new Thread({values:{messages:[new HumanMessage({id:"h",content:"Hi"})]}});
try { Thread.fromJSON(JSON.parse(JSON.stringify(t))) } catch(e) {console.log(1,e.cause)}
t.receive({type:"run-started",runId:"r"});
try { Thread.fromJSON(JSON.parse(JSON.stringify(t))) } catch(e) {console.log(2,e.cause)}
t.update({messages:[new AIMessage({id:"a",content:"Yo"})]});
try { Thread.fromJSON(JSON.parse(JSON.stringify(t))) } catch(e) {console.log(3,e.cause)}
t.optimistic({messages:[new HumanMessage({id:"h2",content:"two"})]});
try { Thread.fromJSON(JSON.parse(JSON.stringify(t))) } catch(e) {console.log(4,e.cause)}
