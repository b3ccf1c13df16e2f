"""What holds the project to its promises from outside: checks of the real command, of what is deployed with it, and
benchmarks. The scripts in `.ci` are thin and say how each is used; what they do is here.

    base, tools, processes, command, services, clients, wall_clock    what all of them stand on, lowest first
    faults, cluster, contract, bench and single modules                the checks, each beside the others
    schedule, steps                                                    all of them in a run of continuous integration
"""
