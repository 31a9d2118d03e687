import { fail } from './failure.ts'
import { isPost, main, post } from './main.ts'

// No await here: it would make every module above wait for a turn of the event loop.
const ended = isPost() ? post() : main()
ended.catch(fail)
