import { fail } from './failure.ts'
import { isPost, main, post } from './main.ts'

// An `await` here would make every module above wait for a turn of the event loop.
const ended = isPost() ? post() : main()
ended.catch(fail)
